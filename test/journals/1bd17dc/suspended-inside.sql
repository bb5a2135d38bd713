-- do/holdfast-SessionObject/1656e27869e5ba53ddcb0b8848b9f07a3418433b772bf6b65faa945c2563a96f.sqlite
CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    epoch INTEGER NOT NULL,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    turn TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    body TEXT
  );
CREATE INDEX turns ON events (turn) WHERE type = 'turn-started';
CREATE TABLE lease (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    epoch INTEGER NOT NULL,
    nonce TEXT NOT NULL,
    turn TEXT,
    state TEXT NOT NULL,
    cause TEXT NOT NULL,
    expired INTEGER NOT NULL,
    expiredFor INTEGER NOT NULL,
    grace INTEGER
  );
CREATE TABLE requests (
    key TEXT PRIMARY KEY,
    body_hash TEXT NOT NULL,
    turn TEXT NOT NULL,
    seq INTEGER NOT NULL,
    expires INTEGER NOT NULL
  ) WITHOUT ROWID;
CREATE TABLE inbox (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, turn TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE agenda (
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    due INTEGER NOT NULL,
    PRIMARY KEY (kind, ref)
  ) WITHOUT ROWID;
CREATE TABLE chunks (
    owner TEXT NOT NULL,
    seq INTEGER NOT NULL,
    part INTEGER NOT NULL,
    reducer INTEGER,
    body BLOB NOT NULL, messages_from INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (owner, seq, part)
  );
CREATE TABLE _cf_METADATA (
        key INTEGER PRIMARY KEY,
        value BLOB
      );
INSERT INTO "schema" VALUES (2, '["ada","suspended-inside","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781495, 'session-opened', '', 91, '{"v":1,"type":"session-opened","incarnation":"bb583b44964a40f1","agent":"suspended-inside"}');
INSERT INTO "events" VALUES (2, 0, 1795369781495, 'turn-started', '261a2ebe53ee4e77', 137, '{"v":1,"type":"turn-started","turn":"261a2ebe53ee4e77","loopId":"261a2ebe53ee4e77","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 602066179460, 1795369781863, 'model-replied', '261a2ebe53ee4e77', 348, '{"v":1,"type":"model-replied","turn":"261a2ebe53ee4e77","model":"scripted","text":"","toolCalls":[{"id":"261a2ebe53ee4e77.3.0","providerId":"call_0_0","name":"look_up","input":"{}"},{"id":"261a2ebe53ee4e77.3.1","providerId":"call_0_1","name":"work","input":"{\"task\":\"buy\"}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 602066179460, 1795369781863, 'tool-call-started', '261a2ebe53ee4e77', 106, '{"v":1,"type":"tool-call-started","turn":"261a2ebe53ee4e77","call":"261a2ebe53ee4e77.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 602066179460, 1795369781863, 'frame-started', '261a2ebe53ee4e77', 132, '{"v":1,"type":"frame-started","turn":"261a2ebe53ee4e77","frame":"261a2ebe53ee4e77.3.1","name":"work","message":"{\"task\":\"buy\"}"}');
INSERT INTO "events" VALUES (6, 602066179460, 1795369781962, 'model-replied', '261a2ebe53ee4e77', 278, '{"v":1,"type":"model-replied","turn":"261a2ebe53ee4e77","frame":"261a2ebe53ee4e77.3.1","model":"scripted","text":"","toolCalls":[{"id":"261a2ebe53ee4e77.6.0","providerId":"call_0_0","name":"pay","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (7, 602066179460, 1795369781962, 'tool-call-suspended', '261a2ebe53ee4e77', 350, '{"v":1,"type":"tool-call-suspended","turn":"261a2ebe53ee4e77","frame":"261a2ebe53ee4e77.3.1","call":"261a2ebe53ee4e77.6.0","wait":{"for":"decision","message":"Pay?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{}},"onExpiry":"reject","binding":"ab0c78d5d306980d9c18d543de6aaccdcee5f14c9a6dd7a9c738a917f38f27c7"}}');
INSERT INTO "events" VALUES (8, 602066179460, 1795369781962, 'tool-call-ended', '261a2ebe53ee4e77', 150, '{"v":1,"type":"tool-call-ended","turn":"261a2ebe53ee4e77","call":"261a2ebe53ee4e77.3.0","result":{"type":"text","content":"look_up is done"},"ms":135}');
INSERT INTO "lease" VALUES (1, 602066179460, '381e4c2614b34c54', '261a2ebe53ee4e77', 'suspended', 'started', 0, 0, NULL);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
