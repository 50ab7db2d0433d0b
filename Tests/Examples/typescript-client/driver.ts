// The driver kit: copy this file, implement `DrivenClient` with your app, and hand it to `serveLines` (see node.ts) or to
// `serveSocket` (see page.ts). It needs no package and runs in Node and in a browser.
//
//     conformance client -- node out/node.js
//     conformance client --listen 127.0.0.1:9000        and a page, or a device, that connects

/** Which profiles there are. */
export type Profile = "client-core" | "client-sync" | "client-push";

/** Who the app is, and what it declares. */
export interface About {
  name: string;
  version?: string;
  profiles: Profile[];
}

/** How the app is started: `fresh` as after its installation, `opened` by the tap on a notification. */
export interface Launch {
  url: string;
  http: string;
  token?: string;
  timeScale: number;
  fresh: boolean;
  opened?: Payload;
}

/** The payload of a notification. */
export interface Payload {
  sessionId: string;
  messageId: string;
  [member: string]: unknown;
}

export interface ShownMessage {
  id?: string;
  clientMessageId?: string;
  role: "user" | "assistant";
  text: string;
  status: "sending" | "sent" | "failed";
}

export interface ShownError {
  text: string;
  code?: string;
  clientMessageId?: string;
}

/** What a person sees at this moment. */
export interface State {
  connection: "connecting" | "connected" | "degraded" | "offline";
  sessionId: string | null;
  thinking: boolean;
  messages: ShownMessage[];
  errors: ShownError[];
  unread: Record<string, number>;
}

type Taken = void | Promise<void>;

/**
 * Your app. Each function calls what the screen or the system would call, and returns when the app has taken it, as it takes
 * a tap: none waits for a server. What you leave out is untested, for the reason that `unsupported` gives.
 */
export interface DrivenClient {
  readonly about: About;
  readonly unsupported?: Partial<Record<Verb, string>>;
  launch(launch: Launch): Taken;
  /** From the model that the screen is drawn from. */
  state(): State | Promise<State>;
  send?(text: string): Taken;
  sendAgain?(clientMessageId: string): Taken;
  background?(): Taken;
  foreground?(): Taken;
  networkDown?(): Taken;
  networkUp?(): Taken;
  receivePush?(payload: Payload): Taken;
  openPush?(payload: Payload): Taken;
  selectSession?(sessionId: string | null): Taken;
  /** The system ends the app: what is stored stays. */
  quit?(): Taken;
  /** The app is gone at once and stores nothing more; where it runs in the driver's own program, that may end too, once its reply is out. */
  crash?(): Taken;
}

type Verb = Exclude<keyof DrivenClient, "about" | "unsupported" | "launch" | "state">;

/** The one argument of a command, where it has one. */
const argument: Record<Verb, string | null> = {
  send: "text", sendAgain: "clientMessageId", background: null, foreground: null, networkDown: null, networkUp: null,
  receivePush: "payload", openPush: "payload", selectSession: "sessionId", quit: null, crash: null,
};

/** Carries out the command in a line, and gives the line that answers it. */
export async function obey(client: DrivenClient, line: string): Promise<string> {
  let id = 0;
  const reply = (members: object) => JSON.stringify({ id, ...members });
  try {
    const command = JSON.parse(line);
    id = command.id;
    if (command.do === "hello") return reply({ ok: true, ...client.about });
    if (command.do === "launch") await client.launch(command);
    else if (command.do !== "state") {
      const verb = command.do as Verb;
      const act = client[verb] as ((value: unknown) => Taken) | undefined;
      if (!(verb in argument) || !act) {
        return reply({ unsupported: client.unsupported?.[verb] ?? `the driver does not support ${verb}` });
      }
      await act.call(client, command[argument[verb] ?? ""]);
      if (verb === "quit" || verb === "crash") return reply({ ok: true });
    }
    return reply({ ok: true, state: await client.state() });
  } catch (problem) {
    return reply({ error: problem instanceof Error ? problem.stack ?? problem.message : String(problem) });
  }
}

/** Spawned by the suite: a line in, a line out. */
export async function serveLines(client: DrivenClient, lines: AsyncIterable<string>, write: (line: string) => void) {
  for await (const line of lines) write((await obey(client, line)) + "\n");
}

/** Connects to a suite that waits with `--listen`, again and again until the run is over (1001). */
export function serveSocket(client: DrivenClient, address: string): Promise<void> {
  return new Promise((done) => {
    const connect = () => {
      const socket = new WebSocket(address);
      socket.onmessage = async ({ data }) => socket.send(await obey(client, data));
      socket.onclose = ({ code }) => (code === 1001 ? done() : setTimeout(connect, 1000));
    };
    connect();
  });
}
