/** A user id as its product chose it: any text, in any direction. `<bdi>` keeps it from reordering what follows. */
export const UserName = ({ id }: { readonly id: string }) => (
  <bdi class="user" title={id}>
    {id}
  </bdi>
);
