-- do/holdfast-SessionObject/cbbf399c060ae8685bfae3af975e874426205289ed5987b27a80e7741e99414a.sqlite
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
INSERT INTO "schema" VALUES (2, '["ada","one-shot","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781482, 'session-opened', '', 83, '{"v":1,"type":"session-opened","incarnation":"860a4d9bd66c4b2b","agent":"one-shot"}');
INSERT INTO "events" VALUES (2, 0, 1795369781482, 'turn-started', '15e0d404bb454191', 130, '{"v":1,"type":"turn-started","turn":"15e0d404bb454191","loopId":"chapter-1","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 614557273346, 1795369781824, 'model-replied', '15e0d404bb454191', 337, '{"v":1,"type":"model-replied","turn":"15e0d404bb454191","model":"scripted","text":"","toolCalls":[{"id":"15e0d404bb454191.3.0","providerId":"call_0_0","name":"read_manual","input":"{}"},{"id":"15e0d404bb454191.3.1","providerId":"call_0_1","name":"greet","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 614557273346, 1795369781824, 'tool-call-started', '15e0d404bb454191', 106, '{"v":1,"type":"tool-call-started","turn":"15e0d404bb454191","call":"15e0d404bb454191.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 614557273346, 1795369781824, 'tool-call-started', '15e0d404bb454191', 112, '{"v":1,"type":"tool-call-started","turn":"15e0d404bb454191","call":"15e0d404bb454191.3.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (6, 614557273346, 1795369781863, 'tool-call-ended', '15e0d404bb454191', 211, '{"v":1,"type":"tool-call-ended","turn":"15e0d404bb454191","call":"15e0d404bb454191.3.1","result":{"type":"text","content":"Good morning."},"ms":0,"changes":{"state":{"holdfast.memo:heard":[["chapter-1",true]]}}}');
INSERT INTO "events" VALUES (7, 614557273346, 1795369781958, 'tool-call-ended', '15e0d404bb454191', 252, '{"v":1,"type":"tool-call-ended","turn":"15e0d404bb454191","call":"15e0d404bb454191.3.0","result":{"type":"text","content":"read_manual is done"},"ms":135,"changes":{"state":{"holdfast.memo:one-shot:read_manual":[["chapter-1","15e0d404bb454191.3.0"]]}}}');
INSERT INTO "events" VALUES (8, 614557273346, 1795369782042, 'model-replied', '15e0d404bb454191', 337, '{"v":1,"type":"model-replied","turn":"15e0d404bb454191","model":"scripted","text":"","toolCalls":[{"id":"15e0d404bb454191.8.0","providerId":"call_1_0","name":"read_manual","input":"{}"},{"id":"15e0d404bb454191.8.1","providerId":"call_1_1","name":"greet","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (9, 614557273346, 1795369782042, 'tool-call-started', '15e0d404bb454191', 112, '{"v":1,"type":"tool-call-started","turn":"15e0d404bb454191","call":"15e0d404bb454191.8.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (10, 614557273346, 1795369782065, 'tool-call-ended', '15e0d404bb454191', 311, '{"v":1,"type":"tool-call-ended","turn":"15e0d404bb454191","call":"15e0d404bb454191.8.0","result":{"type":"text","content":"ALREADY LOADED. The body of ''read_manual'' was returned earlier in this turn — read it from your conversation history above. Do not call this tool again.\nWrite it now.","withheld":true}}');
INSERT INTO "events" VALUES (11, 614557273346, 1795369782065, 'tool-call-ended', '15e0d404bb454191', 152, '{"v":1,"type":"tool-call-ended","turn":"15e0d404bb454191","call":"15e0d404bb454191.8.1","result":{"type":"text","content":"Good morning again."},"ms":0}');
INSERT INTO "events" VALUES (12, 614557273346, 1795369782118, 'model-replied', '15e0d404bb454191', 170, '{"v":1,"type":"model-replied","turn":"15e0d404bb454191","model":"scripted","text":"Written.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (13, 614557273346, 1795369782118, 'turn-ended', '15e0d404bb454191', 75, '{"v":1,"type":"turn-ended","turn":"15e0d404bb454191","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 614557273346, 'aa053e052e214ec3', NULL, 'free', 'started', 0, 0, NULL);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
