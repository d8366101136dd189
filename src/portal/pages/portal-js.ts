/**
 * The script for updating regions, beside htmx. The focus stays, opened details stay open, selected text does not
 * change, and a button pauses the updates.
 */
export const liveJs = `'use strict';
(() => {
  const paused = 'malipo-paused';
  const isPaused = () => sessionStorage.getItem(paused) === '1';
  const regionOf = (event) => (event.target instanceof Element && event.target.matches('[data-live]') ? event.target : null);
  const all = (region) => [...region.querySelectorAll('a[href], button, summary, input, select, textarea, [tabindex]')];
  const nameOf = (one) => one.id || one.getAttribute('href') || one.form?.getAttribute('action') || one.textContent;
  const openOnes = (region) => [...region.querySelectorAll('details')].map((one) => one.open);
  const isBeingRead = (region) => {
    const marked = getSelection();
    return marked !== null && !marked.isCollapsed && region.contains(marked.anchorNode);
  };
  const kept = new Map();
  const button = document.querySelector('[data-live-pause]');
  document.addEventListener('htmx:beforeRequest', (event) => {
    const region = regionOf(event);
    if (region && (isPaused() || isBeingRead(region))) event.preventDefault();
  });
  document.addEventListener('htmx:beforeSwap', (event) => {
    const region = regionOf(event);
    if (!region) return;
    const focused = region.contains(document.activeElement) ? document.activeElement : null;
    kept.set(region.id, {
      open: openOnes(region),
      name: focused && nameOf(focused),
      place: focused ? all(region).indexOf(focused) : -1,
    });
  });
  document.addEventListener('htmx:afterSwap', () => {
    // A finished region no longer updates itself.
    if (button && !document.querySelector('[data-live]')) button.hidden = true;
    for (const [id, { open, name, place }] of kept) {
      kept.delete(id);
      const region = document.getElementById(id);
      if (!region) continue;
      [...region.querySelectorAll('details')].forEach((one, n) => { if (open[n]) one.open = true; });
      const there = all(region);
      if (name !== null) (there.find((one) => nameOf(one) === name) ?? there[place] ?? document.getElementById('main'))?.focus({ preventScroll: true });
    }
  });
  if (!button) return;
  const show = () => { button.textContent = isPaused() ? button.dataset.goOn : button.dataset.livePause; };
  button.addEventListener('click', () => {
    sessionStorage.setItem(paused, isPaused() ? '0' : '1');
    show();
  });
  show();
  button.hidden = false;
})();
`;

/** The script for passkeys: it shows the passkey forms and fills in the device's answer. */
export const passkeysJs = `'use strict';
(() => {
  const bytes = (text) =>
    Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0));
  const text = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  const known = (list) => (list ?? []).map((one) => ({ ...one, id: bytes(one.id) }));
  const asked = ({ challenge, user, allowCredentials, excludeCredentials, ...options }) => ({
    ...options,
    challenge: bytes(challenge),
    ...(user && { user: { ...user, id: bytes(user.id) } }),
    ...(allowCredentials && { allowCredentials: known(allowCredentials) }),
    ...(excludeCredentials && { excludeCredentials: known(excludeCredentials) }),
  });
  const parts = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'];
  const answerOf = ({ id, rawId, type, response }) => {
    const given = Object.fromEntries(
      parts.filter((name) => response[name]).map((name) => [name, text(response[name])]),
    );
    if (response.getTransports) given.transports = response.getTransports();
    return JSON.stringify({ id, rawId: text(rawId), type, clientExtensionResults: {}, response: given });
  };
  for (const form of document.querySelectorAll('form[data-passkey]')) {
    const options = JSON.parse(form.dataset.passkey);
    const isNew = options.rp !== undefined;
    if (!window.PublicKeyCredential || location.hostname !== (isNew ? options.rp.id : options.rpId)) continue;
    const failed = form.querySelector('[role=alert]');
    form.hidden = false;
    for (const other of document.querySelectorAll('[data-without-passkeys]')) other.hidden = true;
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      failed.hidden = true;
      try {
        const publicKey = asked(options);
        const made = await (isNew ? navigator.credentials.create({ publicKey }) : navigator.credentials.get({ publicKey }));
        form.elements.passkey.value = answerOf(made);
        form.submit();
      } catch {
        failed.hidden = false;
      }
    });
  }
})();
`;
