/** The value of a key, made when there is none. The oldest one goes for it. */
export function bounded<Value>(
  map: Map<string, Value>,
  key: string,
  { max, make }: { readonly max: number; readonly make: () => Value },
): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const oldest = map.size < max ? undefined : map.keys().next().value;
  if (oldest !== undefined) map.delete(oldest);
  const made = make();
  map.set(key, made);
  return made;
}
