import type { Http } from "../http/index.ts";
import { isMap, operations, type ScheduleDocument, type SchedulePut } from "../schema/index.ts";
import { type Call, callOf } from "./call.ts";

/** Only where the service has the extension `schedule`. */
export function scheduleClient(http: Http) {
  const document = (answer: unknown): ScheduleDocument => (isMap(answer) ? (answer as ScheduleDocument) : {});
  return {
    get: (): Call<ScheduleDocument> => callOf(http, operations["schedule.get"], {}, document),
    put: (body: SchedulePut): Call<ScheduleDocument> =>
      callOf(http, operations["schedule.put"], { body }, document),
    delete: (): Call<void> => callOf(http, operations["schedule.delete"], {}, () => {}),
  };
}
