for (const path of document.querySelectorAll("section.path")) {
  const steps = [...path.querySelectorAll(".row.step")].sort(
    (a, b) => Number(a.id.split("-").pop()) - Number(b.id.split("-").pop()));
  const walk = path.querySelector(".walk");
  let at = -1;
  walk.hidden = steps.length < 2;
  walk.addEventListener("click", (event) => {
    const by = Number(event.target.dataset.by);
    if (!by) return;
    steps[at]?.classList.remove("here");
    at = Math.min(Math.max(at + by, 0), steps.length - 1);
    steps[at].classList.add("here");
    steps[at].scrollIntoView({ block: "nearest" });
  });
}
