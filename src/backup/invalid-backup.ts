/** An archive is refused. The message says what is wrong, and names the member or the place. */
export class InvalidBackup extends Error {
  override readonly name = "InvalidBackup";
}
