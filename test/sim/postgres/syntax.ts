/** The part of SQL that the model of PostgreSQL knows. */
export type Expression =
  | { readonly kind: "literal"; readonly value: unknown }
  | { readonly kind: "parameter"; readonly at: number }
  /** `table` is null for a bare name. */
  | { readonly kind: "column"; readonly table: string | null; readonly name: string }
  | { readonly kind: "row"; readonly items: readonly Expression[] }
  | { readonly kind: "operator"; readonly name: string; readonly left: Expression; readonly right: Expression }
  | { readonly kind: "not" | "minus"; readonly of: Expression }
  | { readonly kind: "is_null"; readonly of: Expression; readonly isNegated: boolean }
  | { readonly kind: "in"; readonly of: Expression; readonly list: readonly Expression[]; readonly isNegated: boolean }
  | { readonly kind: "in_query"; readonly of: Expression; readonly query: Select; readonly isNegated: boolean }
  | { readonly kind: "any"; readonly of: Expression; readonly list: Expression }
  | { readonly kind: "cast"; readonly of: Expression; readonly type: string }
  | {
      readonly kind: "call";
      readonly name: string;
      readonly args: readonly Expression[];
      /** `count(*)` */
      readonly isStar: boolean;
      readonly filter: Expression | null;
    }
  | {
      readonly kind: "case";
      readonly branches: readonly (readonly [Expression, Expression])[];
      readonly otherwise: Expression | null;
    }
  | { readonly kind: "query"; readonly query: Select }
  | { readonly kind: "exists"; readonly query: Select };

export type Source =
  | { readonly kind: "table"; readonly name: string; readonly alias: string }
  | { readonly kind: "query"; readonly query: Select; readonly alias: string }
  | {
      readonly kind: "function";
      readonly name: string;
      readonly args: readonly Expression[];
      readonly alias: string;
      readonly columns: readonly string[];
    };

export interface Join {
  readonly kind: "inner" | "left" | "cross";
  readonly source: Source;
  readonly on: Expression | null;
}

export interface Item {
  /** Null for `*`, of one table or of all. */
  readonly expression: Expression | null;
  readonly of: string | null;
  readonly as: string;
}

export interface Order {
  readonly by: Expression;
  readonly isDescending: boolean;
  readonly nullsLast: boolean | null;
}

export interface Select {
  readonly kind: "select";
  readonly with: readonly Named[];
  readonly isDistinct: boolean;
  readonly items: readonly Item[];
  readonly from: Source | null;
  readonly joins: readonly Join[];
  readonly where: Expression | null;
  readonly groupBy: readonly Expression[];
  readonly orderBy: readonly Order[];
  readonly limit: Expression | null;
  readonly lock: "update" | "share" | null;
  readonly skipsLocked: boolean;
}

export type Assignments = readonly (readonly [string, Expression])[];

export interface Insert {
  readonly kind: "insert";
  readonly with: readonly Named[];
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Expression[])[] | Select;
  readonly conflict: {
    readonly columns: readonly string[];
    readonly set: Assignments | null;
    readonly where: Expression | null;
  } | null;
  readonly returning: readonly Item[];
}

export interface Update {
  readonly kind: "update";
  readonly with: readonly Named[];
  readonly table: string;
  readonly set: Assignments;
  readonly from: Source | null;
  readonly where: Expression | null;
  readonly returning: readonly Item[];
}

export interface Delete {
  readonly kind: "delete";
  readonly with: readonly Named[];
  readonly table: string;
  readonly where: Expression | null;
  readonly returning: readonly Item[];
}

export interface Named {
  readonly name: string;
  readonly statement: Statement;
}

export type Statement = Select | Insert | Update | Delete;
