/** What a process knows of the current trial, and of the boundaries that it crosses in it. */
const { AsyncLocalStorage } = require('node:async_hooks');
const { openSync, writeSync } = require('node:fs');
const { uuid } = require('./wire.cjs');

/** The current trial, if any. */
let armed;
let log;
const contexts = new AsyncLocalStorage();

/**
 * @param order the trial's name; the ids of existing rows, and of its subjects; the boundary where the process ends.
 * With `everything`, all work of the process belongs to it.
 */
function arm({ trial, known = [], ids = [], point, everything = false }) {
  armed = trial && {
    ...{ trial, point, everything },
    ...{ known: new Set(known), ids: new Set(ids), counts: new Map() },
  };
}

const openLog = (path) => {
  log = openSync(path, 'a');
};

/** One boundary: it is logged, and ends the process if it is the chosen one. */
function pass(point, what) {
  if (!armed) return;
  const killed = point === armed.point;
  writeSync(log, `${JSON.stringify({ trial: armed.trial, point, what, killed })}\n`);
  if (killed) process.kill(process.pid, 'SIGKILL');
}

/**
 * The current place of the process: in a request, in an activity, in a workflow task. Boundaries are counted within it.
 */
function enter(what) {
  const n = (armed.counts.get(what) ?? 0) + 1;
  armed.counts.set(what, n);
  return { trial: armed.trial, name: `${what}#${n}`, counts: {} };
}

/** Numbered among those of the same name: a step that a run skips, such as a new access token, renames no others. */
function next(context, what) {
  context.counts[what] = (context.counts[what] ?? 0) + 1;
  return `${context.name}/${what}-${context.counts[what]}`;
}

/** Runs `work`, and everything that follows from it, in a context. */
const within = (context, work) => contexts.run(context, work);

/**
 * The context of the running code, if it belongs to this trial; the process's own if `text` names a subject of the
 * trial.
 */
function contextOf(text) {
  if (!armed) return undefined;
  const context = contexts.getStore();
  if (context) return isCurrent(context) ? context : undefined;
  return namesIt(text) ? ownContext() : undefined;
}

/** For work without a request: the jobs of a worker, and all work of an operator's command. */
function ownContext() {
  armed.own ??= { trial: armed.trial, name: armed.everything ? 'command' : 'rounds', counts: {} };
  return armed.own;
}

function namesIt(text) {
  return armed.everything || (text.match(uuid)?.some((id) => armed.ids.has(id)) ?? false);
}

const isOn = () => armed !== undefined;
const isCurrent = (context) => armed !== undefined && context?.trial === armed.trial;

/** True for the workflow of a payment or voucher that did not exist before the trial; from then on its id is known. */
function isOfTrial(workflowId) {
  const id = workflowId?.match(uuid)?.[0];
  if (!armed || id === undefined || armed.known.has(id)) return false;
  armed.ids.add(id);
  return true;
}

module.exports = { arm, contextOf, enter, isCurrent, isOfTrial, isOn, next, openLog, pass, within };
