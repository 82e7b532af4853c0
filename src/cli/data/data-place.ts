/** Where data lie when nothing else is said. */
export const DATA_DIR = 'data';
