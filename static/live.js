// Pages that refresh themselves: ages such as "22 min" stay fresh, a lost connection is said.
(function () {
  "use strict";
  function all(s) { return Array.prototype.slice.call(document.querySelectorAll(s)); }
  function age(seconds) {
    var minutes = Math.max(Math.floor(seconds / 60), 0);
    if (minutes < 1) return "now";
    if (minutes < 60) return minutes + " min";
    return minutes < 48 * 60 ? Math.floor(minutes / 60) + " h" : Math.floor(minutes / 1440) + " d";
  }
  function tick() {
    all("time[data-age]").forEach(function (t) {
      var text = age((Date.now() - Date.parse(t.getAttribute("datetime"))) / 1000);
      t.textContent = t.dataset.age && text !== "now" ? text + " " + t.dataset.age : text;
    });
  }
  // "Back" loads the page again: a stored copy holds styles that scripts have set, which the content
  // policy rejects, and charts that no script draws a second time.
  if (window.htmx) { htmx.config.historyCacheSize = 0; htmx.config.refreshOnHistoryMiss = true; }

  function reveal() { all("[data-with-script]").forEach(function (e) { e.hidden = false; }); }
  reveal(); tick(); setInterval(tick, 30000);

  // Escape hides the explanation that is open until another one is asked for.
  document.addEventListener("keydown", function (ev) { if (ev.key === "Escape") document.body.classList.add("hush"); });
  ["focusin", "mouseover"].forEach(function (kind) {
    document.addEventListener(kind, function (ev) {
      if (ev.target.closest(".tip, .lb .team a")) document.body.classList.remove("hush");
    });
  });

  var lost = document.getElementById("lost");
  function say(on) { if (lost) lost.hidden = !on; }
  document.addEventListener("htmx:sendError", function () { say(true); });
  document.addEventListener("htmx:timeout", function () { say(true); });
  document.addEventListener("htmx:responseError", function (ev) { say(ev.detail.xhr.status >= 500); });
  document.addEventListener("htmx:afterRequest", function (ev) { if (ev.detail.successful) say(false); });
  document.addEventListener("htmx:afterSwap", function () { reveal(); tick(); });
})();
