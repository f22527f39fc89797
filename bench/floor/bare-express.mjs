// The floor of a look-up: one Express route with one indexed query.
import express from "express";
import pg from "pg";

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 });
const app = express();
app.get("/engines/:user_id", async (request, response) => {
  const { rows } = await pool.query("select * from engines where product_id = $1 and user_id = $2", [
    process.env.PRODUCT_ID,
    request.params.user_id,
  ]);
  response.json(rows[0]);
});
app.get("/health", (_request, response) => response.json({ status: "ok" }));
app.listen(Number(process.env.PORT), "127.0.0.1");
