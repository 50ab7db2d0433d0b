const box = document.getElementById("search");
const list = document.getElementById("found");
const root = document.documentElement.dataset.root;

function rank(entry, words) {
  const name = entry[0].toLowerCase();
  const nameWords = name.split(/[^a-z0-9]+/);
  const text = " " + entry[1].toLowerCase();
  const synonyms = entry[3].toLowerCase().split(" ");
  let sum = 0;
  for (const word of words) {
    // Two or three letters are in the middle of many words.
    const isLong = word.length > 3;
    if (name === word) sum += 100;
    else if (synonyms.includes(word)) sum += 50;
    else if (nameWords.includes(word)) sum += 30;
    else if (nameWords.some(other => other.startsWith(word))) sum += 20;
    else if (isLong && name.includes(word)) sum += 10;
    else if (text.includes(" " + word)) sum += 2;
    else if (isLong && text.includes(word)) sum += 1;
    else if (synonyms.some(synonym => synonym.startsWith(word))) sum += 1;
    else return 0;
  }
  return sum;
}

function search() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = words.length === 0 ? [] : entries
    .map(entry => [rank(entry, words), entry])
    .filter(pair => pair[0] > 0)
    .sort((a, b) => b[0] - a[0])
    .slice(0, 12);
  list.replaceChildren(...found.map(([, entry]) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = root + entry[2];
    link.textContent = entry[0];
    item.append(link);
    if (entry[1]) item.append(" " + entry[1].slice(0, 140));
    return item;
  }));
  if (words.length > 0 && found.length === 0) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = root + "symptoms.html";
    link.textContent = "the list of symptoms";
    item.append("Nothing found for “" + words.join(" ") + "”. Try one word, a clause such as SYNC-3, or ", link, ".");
    list.append(item);
  }
  list.hidden = words.length === 0;
}

box.addEventListener("input", search);
box.addEventListener("keydown", event => {
  if (event.key === "Escape") { box.value = ""; search(); }
  if (event.key === "Enter") { const first = list.querySelector("a"); if (first) location.href = first.href; }
});
document.addEventListener("keydown", event => {
  if (event.key === "/" && document.activeElement !== box) { event.preventDefault(); box.focus(); }
});
addEventListener("beforeprint", () => {
  for (const part of document.querySelectorAll(".clause details")) part.open = true;
});
