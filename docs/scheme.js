// The pages have the colors that the reader has chosen in the lab. Without a choice, they follow the system.
let chosen = null;
try {
  chosen = { light: "default", dark: "slate" }[localStorage.getItem("adjoint.lab.scheme")];
} catch {
  // Without storage there is no choice.
}
const isDark = matchMedia("(prefers-color-scheme: dark)");
const apply = () => {
  const scheme = chosen ?? (isDark.matches ? "slate" : "default");
  if (document.body.dataset.mdColorScheme !== scheme) document.body.dataset.mdColorScheme = scheme;
};
apply();
isDark.addEventListener("change", apply);
// The theme sets colors after this script, also those of an earlier visit.
new MutationObserver(apply).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
