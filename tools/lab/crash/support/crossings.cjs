/** What a process knows of the trial that is on, and of the boundaries that it crosses within it. */
const { AsyncLocalStorage } = require('node:async_hooks');
const { openSync, writeSync } = require('node:fs');
const { uuid } = require('./wire.cjs');

/** What is known of the trial, while one is on. */
let armed;
let log;
const contexts = new AsyncLocalStorage();

/**
 * @param order the trial's name; the ids of what was there before, and of what it is about; the boundary at which the
 *   process ends. With `everything`, all that the process does belongs to it.
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

/** One boundary: written down, and the end of the process if it is the one. */
function pass(point, what) {
  if (!armed) return;
  const killed = point === armed.point;
  writeSync(log, `${JSON.stringify({ trial: armed.trial, point, what, killed })}\n`);
  if (killed) process.kill(process.pid, 'SIGKILL');
}

/** Where the process is: in a request, in an activity, in a task of a workflow. Its boundaries are counted within. */
function enter(what) {
  const n = (armed.counts.get(what) ?? 0) + 1;
  armed.counts.set(what, n);
  return { trial: armed.trial, name: `${what}#${n}`, counts: {} };
}

/** Numbered among those of the same name: what is left out in one run, such as a new access token, renames nothing. */
function next(context, what) {
  context.counts[what] = (context.counts[what] ?? 0) + 1;
  return `${context.name}/${what}-${context.counts[what]}`;
}

/** Runs `work`, and all that follows from it, in a context. */
const within = (context, work) => contexts.run(context, work);

/** The context that the code runs in, if it is of this trial; the process's own where `text` names what the trial is about. */
function contextOf(text) {
  if (!armed) return undefined;
  const context = contexts.getStore();
  if (context) return isCurrent(context) ? context : undefined;
  return namesIt(text) ? ownContext() : undefined;
}

/** Of what nobody asked for: the rounds of a worker, and all that a command of an operator does. */
function ownContext() {
  armed.own ??= { trial: armed.trial, name: armed.everything ? 'command' : 'rounds', counts: {} };
  return armed.own;
}

function namesIt(text) {
  return armed.everything || (text.match(uuid)?.some((id) => armed.ids.has(id)) ?? false);
}

const isOn = () => armed !== undefined;
const isCurrent = (context) => armed !== undefined && context?.trial === armed.trial;

/** True for the workflow of a payment or voucher that was not there before the trial; from then on its id is known. */
function isOfTrial(workflowId) {
  const id = workflowId?.match(uuid)?.[0];
  if (!armed || id === undefined || armed.known.has(id)) return false;
  armed.ids.add(id);
  return true;
}

module.exports = { arm, contextOf, enter, isCurrent, isOfTrial, isOn, next, openLog, pass, within };
