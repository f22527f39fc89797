import { questionCount } from "../live/questions.ts";
import { Audit } from "./audit/audit.tsx";
import { EngineOverview } from "./engine/overview.tsx";
import { EngineSchedules } from "./engine/schedules.tsx";
import { Events } from "./events/events.tsx";
import { Files } from "./files/files.tsx";
import { Fleet } from "./fleet/fleet.tsx";
import { Memory } from "./memory/memory.tsx";
import { ProductNotifications } from "./notifications/notifications.tsx";
import { ChooseEngine } from "./playground/choose-engine.tsx";
import { Playground } from "./playground/playground.tsx";
import { ProductBudgets } from "./products/budgets.tsx";
import { ProductCatalog } from "./products/catalog.tsx";
import { ProductPolicy } from "./products/policy-form.tsx";
import { Products } from "./products/products.tsx";
import { RegisterProduct } from "./products/register-product.tsx";
import { EngineSecrets, ProductSecrets } from "./secrets/secrets.tsx";
import { Sessions } from "./sessions/sessions.tsx";
import { TurnList } from "./turns/turn-list.tsx";
import { TurnView } from "./turns/turn-view.tsx";
import { Waiting } from "./waiting/waiting.tsx";
import type { View } from "./view.ts";

/** Every view. The first path that fits is shown. */
export const VIEWS: readonly View[] = [
  { path: "/", title: "Fleet", component: Fleet, key: "f" },
  {
    path: "/waiting",
    role: "operator",
    title: "Waiting",
    component: Waiting,
    key: "w",
    count: questionCount,
  },
  { path: "/engines/:engine", title: "Overview", component: EngineOverview, tabOf: "engine" },
  {
    path: "/engines/:engine/schedules",
    role: "operator",
    title: "Schedules",
    component: EngineSchedules,
    tabOf: "engine",
  },
  { path: "/engines/:engine/turns", role: "operator", title: "Turns", component: TurnList, tabOf: "engine" },
  { path: "/engines/:engine/turns/:turn", role: "operator", title: "Turn", component: TurnView, tabOf: "engine" },
  {
    path: "/engines/:engine/playground",
    role: "operator",
    title: "Playground",
    component: Playground,
    tabOf: "engine",
  },
  { path: "/engines/:engine/files", role: "operator", title: "Files", component: Files, tabOf: "engine" },
  { path: "/engines/:engine/memory", role: "operator", title: "Memory", component: Memory, tabOf: "engine" },
  { path: "/engines/:engine/secrets", title: "Secrets", component: EngineSecrets, tabOf: "engine" },
  { path: "/playground", role: "operator", title: "Playground", component: ChooseEngine, key: "y" },
  { path: "/products", title: "Products", component: Products, key: "p" },
  { path: "/products/new", role: "admin", title: "Register a product", component: RegisterProduct },
  { path: "/products/:product", title: "Policy", component: ProductPolicy, tabOf: "product" },
  { path: "/products/:product/budgets", title: "Budgets", component: ProductBudgets, tabOf: "product" },
  { path: "/products/:product/catalog", title: "Catalog", component: ProductCatalog, tabOf: "product" },
  {
    path: "/products/:product/notifications",
    title: "Notifications",
    component: ProductNotifications,
    tabOf: "product",
  },
  { path: "/products/:product/secrets", title: "Secrets", component: ProductSecrets, tabOf: "product" },
  { path: "/events", title: "Events", component: Events, key: "e" },
  { path: "/audit", title: "Audit log", component: Audit, key: "a" },
  { path: "/sessions", title: "Sessions", component: Sessions, key: "s" },
];
