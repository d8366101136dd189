/** What a browser runs for passkeys: shows the forms that are for them, and fills in what the device has answered. */
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
