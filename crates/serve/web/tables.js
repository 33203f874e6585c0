// Tables that can be sorted and searched, files that can be dropped, and the
// count of a query while it is typed.

export function setUpTables() {
  for (const table of document.querySelectorAll("table.sortable")) sortable(table);
  const drop = document.querySelector("#pgn");
  if (drop) droppable(drop);
  const query = document.querySelector("form.query");
  if (query) counted(query);
}

const number = (text) => Number(text.replace(/,/g, ""));

function sortable(table) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const text = (row) => row.cells[column]?.textContent ?? "";
      const compare = (a, b) => {
        const [x, y] = [text(a), text(b)];
        const difference = number(x) - number(y);
        return Number.isNaN(difference) ? x.localeCompare(y) : difference;
      };
      body.append(...[...body.rows].sort((a, b) => (down ? compare(b, a) : compare(a, b))));
    });
  });
  document.querySelector("#search")?.addEventListener("input", (event) => {
    const wanted = event.target.value.toUpperCase().replace("V", "");
    for (const row of body.rows) row.hidden = !row.cells[0].textContent.replace("v", "").includes(wanted);
  });
}

function droppable(box) {
  const stop = (event) => event.preventDefault();
  document.addEventListener("dragover", stop);
  document.addEventListener("drop", async (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    box.value = await file.text();
    box.form.requestSubmit();
  });
}

/** Says how many positions match, or what is wrong with the query. */
function counted(form) {
  const line = document.querySelector("#live");
  let request = null;
  let timer = 0;
  async function count() {
    request?.abort();
    request = new AbortController();
    const { material, query } = Object.fromEntries(new FormData(form));
    if (!material.trim() || !query.trim()) return (line.textContent = "");
    const parameters = new URLSearchParams({ material, query, count: "true" });
    try {
      const answer = await fetch(`/api/v1/find?${parameters}`, { signal: request.signal });
      const found = await answer.json();
      const positions = (number) => `${number.toLocaleString("en")} ${number === 1 ? "position matches" : "positions match"}.`;
      line.textContent = answer.ok ? positions(found.count) : `${found.error}.`;
      line.classList.toggle("trouble", !answer.ok);
    } catch (error) {
      if (error.name !== "AbortError") line.textContent = "The service does not answer.";
    }
  }
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(count, 400);
  });
  if (form.elements.query.value) count();
}
