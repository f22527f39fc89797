import { questionCount } from "../live/questions.ts";
import { Fleet } from "./fleet/fleet.tsx";
import { lazyView } from "./lazy-view.tsx";
import type { View } from "./view.ts";

/** What the tabs of one engine, and of one product, have above them. */
export const HEADERS = {
  engine: lazyView(() => import("./engine/engine-header.tsx"), "EngineHeader"),
  product: lazyView(() => import("./products/product-header.tsx"), "ProductHeader"),
} as const;

/** Every view. The first path that fits is shown. All but the first are loaded when they are opened. */
export const VIEWS: readonly View[] = [
  { path: "/", title: "Fleet", component: Fleet, key: "f" },
  {
    path: "/waiting",
    role: "operator",
    title: "Waiting",
    component: lazyView(() => import("./waiting/waiting.tsx"), "Waiting"),
    key: "w",
    count: questionCount,
  },
  {
    path: "/engines/:engine",
    title: "Overview",
    component: lazyView(() => import("./engine/overview.tsx"), "EngineOverview"),
    tabOf: "engine",
  },
  {
    path: "/engines/:engine/schedules",
    role: "operator",
    title: "Schedules",
    component: lazyView(() => import("./engine/schedules.tsx"), "EngineSchedules"),
    tabOf: "engine",
  },
  {
    path: "/engines/:engine/conversations",
    role: "operator",
    title: "Conversations",
    component: lazyView(() => import("./conversations/conversation-list.tsx"), "ConversationList"),
    tabOf: "engine",
  },
  {
    path: "/engines/:engine/conversations/:task",
    role: "operator",
    title: "Conversation",
    component: lazyView(() => import("./conversations/transcript.tsx"), "Transcript"),
    tabOf: "engine",
  },
  {
    path: "/engines/:engine/turns",
    role: "operator",
    title: "Turns",
    component: lazyView(() => import("./turns/turn-list.tsx"), "TurnList"),
    tabOf: "engine",
  },
  {
    path: "/engines/:engine/turns/:turn",
    role: "operator",
    title: "Turn",
    component: lazyView(() => import("./turns/turn-view.tsx"), "TurnView"),
    tabOf: "engine",
  },
  {
    path: "/engines/:engine/playground",
    role: "operator",
    title: "Playground",
    component: lazyView(() => import("./playground/playground.tsx"), "Playground"),
    tabOf: "engine",
    within: "/playground",
  },
  {
    path: "/engines/:engine/files",
    role: "operator",
    title: "Files",
    component: lazyView(() => import("./files/files.tsx"), "Files"),
    tabOf: "engine",
  },
  {
    path: "/engines/:engine/memory",
    role: "operator",
    title: "Memory",
    component: lazyView(() => import("./memory/memory.tsx"), "Memory"),
    tabOf: "engine",
  },
  {
    path: "/engines/:engine/secrets",
    title: "Secrets",
    component: lazyView(() => import("./secrets/secrets.tsx"), "EngineSecrets"),
    tabOf: "engine",
  },
  {
    path: "/engines/:engine/tool-servers",
    title: "Tool servers",
    component: lazyView(() => import("./tool-servers/tool-servers.tsx"), "ToolServers"),
    tabOf: "engine",
  },
  {
    path: "/engines/:engine/policy",
    title: "Policy",
    component: lazyView(() => import("./plans/engine-policy.tsx"), "EnginePolicyView"),
    tabOf: "engine",
  },
  {
    path: "/playground",
    role: "operator",
    title: "Playground",
    component: lazyView(() => import("./playground/choose-engine.tsx"), "ChooseEngine"),
    key: "y",
  },
  {
    path: "/products",
    title: "Products",
    component: lazyView(() => import("./products/products.tsx"), "Products"),
    key: "p",
  },
  {
    path: "/products/new",
    role: "admin",
    title: "Register a product",
    component: lazyView(() => import("./products/register-product.tsx"), "RegisterProduct"),
    within: "/products",
  },
  {
    path: "/products/:product",
    title: "Policy",
    component: lazyView(() => import("./products/policy-form.tsx"), "ProductPolicy"),
    tabOf: "product",
  },
  {
    path: "/products/:product/plans",
    title: "Plans",
    component: lazyView(() => import("./plans/plans.tsx"), "ProductPlans"),
    tabOf: "product",
  },
  {
    path: "/products/:product/plans/:plan",
    title: "Plan",
    component: lazyView(() => import("./plans/plan-view.tsx"), "ProductPlan"),
    tabOf: "product",
  },
  {
    path: "/products/:product/budgets",
    title: "Budgets",
    component: lazyView(() => import("./products/budgets.tsx"), "ProductBudgets"),
    tabOf: "product",
  },
  {
    path: "/products/:product/catalog",
    title: "Catalog",
    component: lazyView(() => import("./catalog/catalog.tsx"), "ProductCatalog"),
    tabOf: "product",
  },
  {
    path: "/products/:product/knowledge",
    title: "Knowledge",
    component: lazyView(() => import("./knowledge/knowledge.tsx"), "ProductDocuments"),
    tabOf: "product",
  },
  {
    path: "/products/:product/notifications",
    title: "Notifications",
    component: lazyView(() => import("./notifications/notifications.tsx"), "ProductNotifications"),
    tabOf: "product",
  },
  {
    path: "/products/:product/secrets",
    title: "Secrets",
    component: lazyView(() => import("./secrets/secrets.tsx"), "ProductSecrets"),
    tabOf: "product",
  },
  { path: "/events", title: "Events", component: lazyView(() => import("./events/events.tsx"), "Events"), key: "e" },
  { path: "/usage", title: "Usage", component: lazyView(() => import("./usage/usage.tsx"), "Usage"), key: "u" },
  { path: "/host", title: "Host", component: lazyView(() => import("./host/host.tsx"), "Host"), key: "h" },
  { path: "/audit", title: "Audit log", component: lazyView(() => import("./audit/audit.tsx"), "Audit"), key: "a" },
  {
    path: "/sessions",
    title: "Sessions",
    component: lazyView(() => import("./sessions/sessions.tsx"), "Sessions"),
    key: "s",
  },
];
