/** Parses the bytes on a process's connections, as far as boundaries need it. */

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** The MySQL protocol's code of a text statement. */
const query = 3;
const header = 5;

/** @returns the statement in a packet to the database, and what it writes; undefined for any other packet. */
function statementOf(chunk) {
  if (!Buffer.isBuffer(chunk) || chunk[4] !== query) return undefined;
  const text = chunk.toString('utf8', header).trim();
  const verb = /^\w+/.exec(text)?.[0].toLowerCase() ?? '';
  const table = /^(?:insert(?: ignore)? into|update|delete from|replace into) `?(\w+)`?/i.exec(text)?.[1];
  return { verb: verb === 'start' ? 'begin' : verb, text, writes: table && `${verb} ${table}` };
}

/** A path without the parts that differ for each payment. */
function maskedPath(path) {
  return path
    .replace(/\?.*$/, '')
    .replace(uuid, ':id')
    .replace(/\/[\w-]*\d[\w-]*(?=\/|$)/g, (part) => (part.length > 8 ? '/:id' : part));
}

/** Of a workflow activation or its completion: both begin with the run's id, and the first names its workflow. */
function workflowOf(message) {
  const text = message.toString('latin1');
  const [runId] = text.match(uuid) ?? [];
  const [workflowId] = /[a-z-]+\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(text) ?? [];
  return { runId, workflowId };
}

module.exports = { maskedPath, statementOf, uuid, workflowOf };
