// An index page of the reference once had the text of its names. Addresses of that time, such as
// reference/nn.html#adjoint.nn.LSTM.forward, lead to the page of the name.
const anchor = decodeURIComponent(location.hash.slice(1));
for (let name = anchor; name.startsWith("adjoint."); name = name.slice(0, name.lastIndexOf("."))) {
  const link = document.getElementById(name)?.closest("a");
  if (link) {
    location.replace(`${link.href}#${anchor}`);
    break;
  }
}
