/** A definite no to whoever would migrate, in a sentence of what to do. */
export class NotMigrated extends Error {}
