import { session } from "../session/session.ts";

/** Who is signed in, and the role. */
export const Person = () => {
  if (session.value === null || session.value === "unknown") return null;
  const { person, role } = session.value;
  return (
    <p class="person dim">
      {person !== null && <bdi>{person.name ?? person.email ?? person.subject}</bdi>}
      <span>Role: {role}</span>
    </p>
  );
};
