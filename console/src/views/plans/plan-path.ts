export const planPath = (product: string, plan: string): string => `/products/${product}/plans/${plan}`;
