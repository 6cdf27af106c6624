import { DeckhandError, type ErrorCode } from "../../errors.ts";

type Kind = "unavailable" | "full" | "refused";

const answers: Readonly<Record<Kind, { code: ErrorCode; status: number; message: string }>> = {
  unavailable: {
    code: "network",
    status: 503,
    message: "the store of attachments is unavailable; nothing was changed, try again",
  },
  full: {
    code: "server",
    status: 507,
    message: "there is no space left for attachments; nothing was changed",
  },
  refused: {
    code: "not-configured",
    status: 500,
    message: "the store of attachments refuses the service: its log says why",
  },
};

/** A request to the bucket of attachments failed. The message is for operators; `answer` is what clients get. */
export class BucketError extends DeckhandError {
  override readonly name = "BucketError";
  readonly kind: Kind;

  constructor(kind: Kind, message: string, details: { readonly cause?: unknown } = {}) {
    super(answers[kind].code, message, details);
    this.kind = kind;
  }

  get answer(): { readonly status: number; readonly message: string } {
    return answers[this.kind];
  }
}
