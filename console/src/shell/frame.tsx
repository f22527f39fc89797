/** The shell before it is known who is signed in: what the page has before its script runs. */
export const Frame = () => (
  <div class="shell">
    <div class="side">
      <span class="brand">orchd</span>
    </div>
    <main aria-busy="true" />
  </div>
);
