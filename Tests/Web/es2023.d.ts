/** Methods that every browser of the page and Node 18 have, and Debian's TypeScript does not declare. */
interface Array<T> {
  findLast(predicate: (value: T, index: number) => unknown): T | undefined;
}
