// Lets readers scroll wide tables with the keyboard: the theme puts them into boxes that scroll and cannot have the focus.
const focusable = () => {
  for (const box of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) {
    box.tabIndex = 0;
    box.role = "region";
    box.ariaLabel = "Table";
  }
};
focusable();
new MutationObserver(focusable).observe(document.body, { childList: true, subtree: true });
