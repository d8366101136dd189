/**
 * The page's script. Without it, the buttons are plain forms. The list is replaced only if it has other prompts, so
 * that no button moves under a finger.
 */
export const script = `'use strict';
(() => {
  const REFRESH_EVERY_MS = 1000;
  const list = document.getElementById('prompts');
  const said = document.getElementById('said');
  const offline = document.getElementById('offline');

  const cards = (root) => [...root.querySelectorAll('[data-prompt]')];
  const idOf = (card) => card.dataset.prompt;
  const idsOf = (root) => cards(root).map(idOf).join(' ');

  function showTimeLeft(fresh) {
    for (const [index, card] of cards(list).entries()) {
      const now = cards(fresh)[index];
      card.querySelector('progress').value = now.querySelector('progress').value;
      card.querySelector('.left').textContent = now.querySelector('.left').textContent;
    }
  }

  function replaceList(fresh) {
    const focused = list.contains(document.activeElement) ? document.activeElement : undefined;
    const card = focused?.closest('[data-prompt]');
    const again = card && { id: idOf(card), value: focused.value };
    list.replaceChildren(fresh);
    if (!focused) return;
    const same = again && cards(list).find((candidate) => idOf(candidate) === again.id);
    (same?.querySelector('button[value="' + again.value + '"]') ?? list).focus();
  }

  async function refresh() {
    try {
      const response = await fetch('/handset/prompts');
      if (!response.ok) throw new Error(String(response.status));
      const template = document.createElement('template');
      template.innerHTML = await response.text();
      if (idsOf(template.content) === idsOf(list)) showTimeLeft(template.content);
      else replaceList(template.content);
      offline.hidden = true;
    } catch {
      offline.hidden = false;
    }
  }

  list.addEventListener('submit', async (event) => {
    event.preventDefault();
    const form = event.target;
    // The buttons are named action too, so form.action would be them and not the address.
    const address = form.getAttribute('action');
    const body = new URLSearchParams({ action: event.submitter.value });
    for (const button of form.querySelectorAll('button')) button.disabled = true;
    try {
      const response = await fetch(address, { method: 'POST', body, headers: { accept: 'application/json' } });
      const answer = await response.json();
      said.textContent = answer.message ?? answer.error;
      list.focus();
    } catch {
      said.textContent = 'That did not reach the simulator; please try again.';
      for (const button of form.querySelectorAll('button')) button.disabled = false;
    }
    await refresh();
  });

  const refreshForEver = async () => {
    if (!document.hidden) await refresh();
    setTimeout(refreshForEver, REFRESH_EVERY_MS);
  };
  setTimeout(refreshForEver, REFRESH_EVERY_MS);
})();
`;
