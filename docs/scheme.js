// The pages have the colors that the reader has chosen in the lab. Without a choice, they follow the system.
let chosen = null;
try {
  chosen = { light: "default", dark: "slate" }[localStorage.getItem("adjoint.lab.scheme")];
} catch {
  // Without storage there is no choice.
}
if (chosen) {
  const apply = () => {
    if (document.body.dataset.mdColorScheme !== chosen) document.body.dataset.mdColorScheme = chosen;
  };
  apply();
  // The theme sets the colors of the system after this script.
  new MutationObserver(apply).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
}
