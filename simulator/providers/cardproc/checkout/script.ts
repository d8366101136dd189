/**
 * The page's script. Without it, all ways to pay are shown below each other, in plain forms. It follows the tab
 * pattern: one tab is in the tab order, arrow keys reach the others, and a panel is shown with its tab.
 */
export const script = `'use strict';
(() => {
  const LEAVE_AFTER_MS = 700;
  const checkout = document.getElementById('checkout');
  if (!checkout) return;
  const said = document.getElementById('said');
  const onward = document.getElementById('onward');
  const list = checkout.querySelector('[role=tablist]');
  const tabs = [...list.querySelectorAll('[role=tab]')];
  const panelOf = (tab) => document.getElementById(tab.getAttribute('aria-controls'));

  function choose(chosen) {
    for (const tab of tabs) {
      const isChosen = tab === chosen;
      tab.setAttribute('aria-selected', String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      panelOf(tab).hidden = !isChosen;
    }
  }
  for (const tab of tabs) {
    const panel = panelOf(tab);
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', tab.id);
    tab.addEventListener('click', () => choose(tab));
  }
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  list.addEventListener('keydown', (event) => {
    const now = tabs.indexOf(event.target);
    const places = { Home: 0, End: tabs.length - 1 };
    const next = event.key in steps ? now + steps[event.key] + tabs.length : places[event.key];
    if (now === -1 || next === undefined) return;
    event.preventDefault();
    const tab = tabs[next % tabs.length];
    choose(tab);
    tab.focus();
  });
  checkout.classList.add('tabbed');
  list.hidden = false;
  choose(tabs[0]);

  // A browser that goes back may show the page as it was left; a reload shows the order's current state.
  window.addEventListener('pageshow', (event) => {
    if (event.persisted) window.location.reload();
  });

  function say(text, isBad) {
    said.textContent = text;
    said.classList.toggle('bad', isBad);
    said.focus();
  }

  function leave(address) {
    onward.href = address;
    onward.hidden = false;
    const window_ = checkout.dataset.window === '_parent' ? window.parent : window.top;
    setTimeout(() => {
      // A browser may forbid to move the merchant's window; then the link remains.
      try { window_.location.href = address; } catch { onward.focus(); }
    }, LEAVE_AFTER_MS);
  }

  async function send(body) {
    try {
      const response = await fetch('/pay', { method: 'POST', body, headers: { accept: 'application/json' } });
      return await response.json();
    } catch {
      return { success: false, can_try_again: true, message: 'That did not reach us. Please try again.' };
    }
  }

  checkout.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (checkout.getAttribute('aria-busy') === 'true') return;
    checkout.setAttribute('aria-busy', 'true');
    const body = new URLSearchParams(new FormData(event.target, event.submitter));
    const answer = await send(body);
    checkout.removeAttribute('aria-busy');
    checkout.hidden = !answer.can_try_again;
    say(answer.message, !answer.success || answer.can_try_again);
    if (answer.leave_to) leave(answer.leave_to);
  });
})();
`;
