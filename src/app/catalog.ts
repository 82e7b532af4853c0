/** The strategies of this build, for the commands that only name and describe them. */
export { CATALOG } from '../../strategies/catalog.ts';
