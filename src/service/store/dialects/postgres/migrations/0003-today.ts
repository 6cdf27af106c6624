import { type Kysely, sql } from "kysely";

/** What is put off or asked again today, and an index for what was reviewed today. */
export async function up<T>(db: Kysely<T>): Promise<void> {
  await sql`create table today_mark (
    account text collate "C" not null,
    day integer not null,
    card_id text collate "C" not null,
    put_off integer not null,
    again integer not null,
    set_at bigint not null,
    primary key (account, day, card_id),
    foreign key (account, card_id) references card (account, id) on delete cascade
  )`.execute(db);
  await sql`create index review_date on review (account, date)`.execute(db);
}
