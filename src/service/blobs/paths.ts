import { join } from "node:path";

/** Where the content with a hash is, below the folder of attachments. */
export const contentPath = (hash: string): string => `${hash.slice(0, 2)}/${hash.slice(2)}`;

/** The lock that is held while a backup is restored into a service's folder. */
export const restoreLock = (folder: string): string => `${folder}-restore`;

/** The lock that is held while a backup of a service's folder is written: meanwhile no content is deleted. */
export const backupLock = (folder: string): string => join(folder, "backup");
