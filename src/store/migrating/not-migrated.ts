/** Why a migration was not done, and what the operator can do. */
export class NotMigrated extends Error {}
