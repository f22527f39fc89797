import t from "tap";
import { readAccessKey, signRequest } from "../../src/broker/sign-request.ts";

const KEY = "AKIAIOSFODNN7EXAMPLE:wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY:session";

t.test("a request is signed as AWS Signature Version 4 says, with an encoded path and a session token", async (t) => {
  const accessKey = readAccessKey(KEY);
  if (accessKey === null) throw new Error("the key is one of AWS");
  const headers = new Map(
    signRequest(accessKey, {
      url: new URL(
        "https://bedrock-runtime.eu-central-1.amazonaws.com/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream",
      ),
      body: Buffer.from('{"a":"ü"}'),
      region: "eu-central-1",
      now: Date.UTC(2026, 10, 24, 13),
    }),
  );
  t.equal(headers.get("x-amz-date"), "20261124T130000Z");
  t.equal(headers.get("x-amz-security-token"), "session");
  // Made by another implementation.
  t.match(
    headers.get("authorization"),
    /SignedHeaders=host;x-amz-date;x-amz-security-token, Signature=494b706d0581ec9b0a580e080c03af6421b240623fa5dadf289c9c750ffacec3$/,
  );
});

t.test("a Bedrock API key is no access key", async (t) => {
  t.equal(readAccessKey("bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29tLz9BY3Rpb24"), null);
  t.match(readAccessKey("AKIAIOSFODNN7EXAMPLE:secret"), { id: "AKIAIOSFODNN7EXAMPLE", sessionToken: null });
});
