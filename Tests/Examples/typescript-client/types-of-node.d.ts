// The little of Node that node.ts uses. In a project of yours, install @types/node in its place.
declare module "node:fs" {
  function mkdtempSync(prefix: string): string;
  function readFileSync(path: string, encoding: "utf8"): string;
  function renameSync(from: string, to: string): void;
  function writeFileSync(path: string, text: string): void;
}
declare module "node:os" {
  function tmpdir(): string;
}
declare module "node:path" {
  function join(...parts: string[]): string;
}
declare module "node:readline" {
  function createInterface(options: { input: unknown }): AsyncIterable<string>;
}
declare function setImmediate(action: () => void): void;
declare const process: {
  argv: string[];
  env: Record<string, string | undefined>;
  stdin: unknown;
  stdout: { write(text: string): boolean };
  pid: number;
  kill(process: number, signal: string): void;
  exit(code: number): never;
};
