// Runs before the first paint, as a file of its own: the content security policy allows no inline script.
(() => {
  let theme = "system";
  try {
    theme = localStorage.getItem("parley:theme") ?? "system";
  } catch {}
  const dark = theme === "dark" || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.classList.toggle("dark", dark);
})();
