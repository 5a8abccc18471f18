// Small behaviours. Every page works without this file.
(function () {
  "use strict";
  var $ = function (s, r) { return (r || document).querySelector(s); };
  var $$ = function (s, r) { return Array.prototype.slice.call((r || document).querySelectorAll(s)); };

  // theme
  var dark = function () {
    var t = document.documentElement.dataset.theme;
    return t ? t === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  };
  $$("[data-theme-toggle]").forEach(function (b) {
    b.addEventListener("click", function () {
      var t = dark() ? "light" : "dark";
      document.documentElement.dataset.theme = t;
      try { localStorage.setItem("theme", t); } catch (e) { /* storage off */ }
      document.dispatchEvent(new CustomEvent("theme"));
    });
  });

  // Dialogs and copying, for parts that htmx brings in as well. The opener is a link to the same
  // question as a page, so nothing is lost without scripts; the browser keeps focus inside.
  document.addEventListener("click", function (ev) {
    var opener = ev.target.closest("[data-dialog]"), closer = ev.target.closest("[data-close]"), copier = ev.target.closest("[data-copy]");
    if (opener) {
      var dialog = document.getElementById(opener.dataset.dialog);
      if (dialog && dialog.showModal) { ev.preventDefault(); dialog.showModal(); }
    } else if (closer && closer.closest("dialog")) {
      ev.preventDefault(); closer.closest("dialog").close();
    } else if (copier) {
      var was = copier.textContent;
      if (navigator.clipboard) navigator.clipboard.writeText($("code", copier.parentNode).textContent);
      copier.textContent = "Copied"; setTimeout(function () { copier.textContent = was; }, 1600);
    }
  });

  // the current tab is scrolled into view on narrow screens
  var cur = $(".tabs [aria-current]");
  if (cur) { var bar = cur.parentNode; bar.scrollLeft = Math.max(0, cur.offsetLeft - bar.clientWidth / 2 + cur.clientWidth / 2); }

  // countdowns: the server wrote a first text, this keeps it fresh (not announced to readers)
  var left = function (s) {
    var d = Math.floor(s / 86400), h = Math.floor(s / 3600) % 24, m = Math.floor(s / 60) % 60;
    if (d) return d + " d " + h + " h";
    if (h) return h + " h " + m + " min";
    return s >= 60 ? m + " min" : "less than 1 min";
  };
  var tick = function () {
    $$("time[data-countdown]").forEach(function (t) {
      var s = (Date.parse(t.getAttribute("datetime")) - Date.now()) / 1000;
      if (s > 0) t.textContent = left(s);
    });
  };
  tick(); setInterval(tick, 20000);

  // local time beside UTC, for who is elsewhere: data-local="title" puts it in the tooltip
  var zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "";
  var local = function (root) {
    $$("time[data-local]", root).forEach(function (t) {
      var d = new Date(t.getAttribute("datetime"));
      if (t.dataset.done || isNaN(d) || d.getTimezoneOffset() === 0) return;
      t.dataset.done = "1";
      var text = d.toLocaleString("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" }) + " " + zone;
      if (t.dataset.local === "title") t.title = (t.title ? t.title + ", " : "") + text;
      else t.insertAdjacentText("afterend", " (" + text + ")");
    });
  };
  local(document);

  // parts that htmx swapped in get the same behaviours
  document.addEventListener("htmx:afterSwap", function () { tick(); local(document); });
})();
