-- do/holdfast-SessionObject/2b427becc3100924d034facd912c7fbe02fa4ee9682592f7e10d2a8db59514d0.sqlite
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
INSERT INTO "sqlite_sequence" VALUES ('inbox', 1);
INSERT INTO "schema" VALUES (2, '["ada","blobs","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781484, 'session-opened', '', 80, '{"v":1,"type":"session-opened","incarnation":"2a6b075b45cd45c2","agent":"blobs"}');
INSERT INTO "events" VALUES (2, 0, 1795369781484, 'turn-started', 'd3af58cc52644d66', 137, '{"v":1,"type":"turn-started","turn":"d3af58cc52644d66","loopId":"d3af58cc52644d66","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 519313851356, 1795369781861, 'model-replied', 'd3af58cc52644d66', 254, '{"v":1,"type":"model-replied","turn":"d3af58cc52644d66","model":"scripted","text":"","toolCalls":[{"id":"d3af58cc52644d66.3.0","providerId":"call_0_0","name":"fetch_page","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 519313851356, 1795369781861, 'tool-call-started', 'd3af58cc52644d66', 106, '{"v":1,"type":"tool-call-started","turn":"d3af58cc52644d66","call":"d3af58cc52644d66.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 519313851356, 1795369781861, 'tool-call-ended', 'd3af58cc52644d66', 72133, NULL);
INSERT INTO "events" VALUES (6, 519313851356, 1795369782148, 'model-replied', 'd3af58cc52644d66', 170, '{"v":1,"type":"model-replied","turn":"d3af58cc52644d66","model":"scripted","text":"Fetched.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (7, 519313851356, 1795369782148, 'turn-ended', 'd3af58cc52644d66', 75, '{"v":1,"type":"turn-ended","turn":"d3af58cc52644d66","outcome":"completed"}');
INSERT INTO "events" VALUES (8, 0, 1795369782224, 'turn-started', '0c69c00da524411f', 138, '{"v":1,"type":"turn-started","turn":"0c69c00da524411f","loopId":"0c69c00da524411f","message":"Ask.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (9, 519313851357, 1795369782374, 'model-replied', '0c69c00da524411f', 252, '{"v":1,"type":"model-replied","turn":"0c69c00da524411f","model":"scripted","text":"","toolCalls":[{"id":"0c69c00da524411f.9.0","providerId":"call_2_0","name":"ask_user","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (10, 519313851357, 1795369782374, 'tool-call-suspended', '0c69c00da524411f', 241, '{"v":1,"type":"tool-call-suspended","turn":"0c69c00da524411f","call":"0c69c00da524411f.9.0","wait":{"for":"result","message":"Run ''ask_user'' and send its result.","binding":"68a9598d9a0241ba5aca5b9345445ecbcb5ccf68719d3f8e2e2c1ea9c9c02db0"}}');
INSERT INTO "lease" VALUES (1, 519313851357, '852318b3312d4de1', '0c69c00da524411f', 'suspended', 'started', 0, 0, NULL);
INSERT INTO "inbox" VALUES (1, 'message', 'ce4a42c6c836441c', '');
INSERT INTO "chunks" VALUES ('event', 5, 0, NULL, CAST('{"v":1,"type":"tool-call-ended","turn":"d3af58cc52644d66","call":"d3af58cc52644d66.3.0","result":{"type":"text","content":"⟨tång ×12000⟩"},"ms":1}' AS BLOB), 1);
INSERT INTO "chunks" VALUES ('inbox', 1, 0, NULL, CAST('{"v":1,"type":"turn-started","turn":"ce4a42c6c836441c","loopId":"ce4a42c6c836441c","message":"⟨kelp ×14000⟩","context":{},"principal":{"id":"ada"}}' AS BLOB), 1);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
