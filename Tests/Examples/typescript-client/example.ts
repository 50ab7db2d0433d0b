// What you write: the suite's commands as calls of the app.
import { App, type Store } from "./app.js";
import type { About, DrivenClient, Launch, Payload, State } from "./driver.js";

export class Example implements DrivenClient {
  readonly about: About;
  private app: App | null = null;

  constructor(name: string, private store: Store, private draw: (state: State) => void = () => {}) {
    this.about = { name, version: "1.0", profiles: ["client-core", "client-sync", "client-push"] };
  }

  private get running(): App {
    if (this.app === null) throw new Error("the app does not run");
    return this.app;
  }

  launch(launch: Launch) {
    this.app?.quit(); // a scenario may end without a word
    this.app = new App(launch, this.store, this.draw);
  }

  quit() {
    this.running.quit();
    this.app = null;
  }

  state() { return this.running.state(); }
  send(text: string) { this.running.send(text); }
  sendAgain(key: string) { this.running.sendAgain(key); }
  background() { this.running.background(); }
  foreground() { this.running.foreground(); }
  networkDown() { this.running.networkDown(); }
  networkUp() { this.running.networkUp(); }
  receivePush(payload: Payload) { this.running.receive(payload); }
  openPush(payload: Payload) { this.running.open(payload); }
  selectSession(id: string | null) { this.running.select(id); }
}
