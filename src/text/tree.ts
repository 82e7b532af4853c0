/** Data as indented keys, like YAML; leaves and short lists stay on one line. */
export function formatTree(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null) return `${indent}${JSON.stringify(value)}\n`;
  return Object.entries(value)
    .map(([key, child]: [string, unknown]) => {
      if (isPlain(child)) return `${indent}${key}: ${JSON.stringify(child)}\n`;
      if (!Array.isArray(child)) return `${indent}${key}:\n${formatTree(child, `${indent}  `)}`;
      return `${indent}${key}:\n${child.map((item) => `${indent}  - ${JSON.stringify(item)}\n`).join('')}`;
    })
    .join('');
}

const isLeaf = (value: unknown): boolean => typeof value !== 'object' || value === null;

/** Leaves, lists of leaves and empty sections. */
const isPlain = (value: unknown): boolean =>
  isLeaf(value) || Object.keys(Object(value)).length === 0 || (Array.isArray(value) && value.every(isLeaf));
