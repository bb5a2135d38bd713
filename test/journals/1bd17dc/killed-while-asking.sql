-- do/holdfast-SessionObject/850190c8f6379982750608db10e18bf6d305f5b4908d101a107252c1ca7d028f.sqlite
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
INSERT INTO "schema" VALUES (2, '["ada","killed-while-asking","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781509, 'session-opened', '', 94, '{"v":1,"type":"session-opened","incarnation":"df4f5fae5c024de1","agent":"killed-while-asking"}');
INSERT INTO "events" VALUES (2, 0, 1795369781509, 'turn-started', '1787fc1803d24e9b', 137, '{"v":1,"type":"turn-started","turn":"1787fc1803d24e9b","loopId":"1787fc1803d24e9b","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 488673986536, 1795369781937, 'model-replied', '1787fc1803d24e9b', 328, '{"v":1,"type":"model-replied","turn":"1787fc1803d24e9b","model":"scripted","text":"","toolCalls":[{"id":"1787fc1803d24e9b.3.0","providerId":"call_0_0","name":"put","input":"{}"},{"id":"1787fc1803d24e9b.3.1","providerId":"call_0_1","name":"book","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 488673986536, 1795369781937, 'tool-call-started', '1787fc1803d24e9b', 112, '{"v":1,"type":"tool-call-started","turn":"1787fc1803d24e9b","call":"1787fc1803d24e9b.3.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (5, 488673986536, 1795369781937, 'tool-call-started', '1787fc1803d24e9b', 106, '{"v":1,"type":"tool-call-started","turn":"1787fc1803d24e9b","call":"1787fc1803d24e9b.3.1","effect":"once"}');
INSERT INTO "events" VALUES (6, 488673986536, 1795369781958, 'tool-call-suspended', '1787fc1803d24e9b', 341, '{"v":1,"type":"tool-call-suspended","turn":"1787fc1803d24e9b","call":"1787fc1803d24e9b.3.0","wait":{"for":"decision","message":"put?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{}},"onExpiry":"reject","expires":25920000000,"binding":"c4b91053e64af41191e5d6bbca3409a410d55ec6ac405a307b74f520ace54e9b"}}');
INSERT INTO "events" VALUES (7, 488673986536, 1795369781958, 'tool-call-suspended', '1787fc1803d24e9b', 342, '{"v":1,"type":"tool-call-suspended","turn":"1787fc1803d24e9b","call":"1787fc1803d24e9b.3.1","wait":{"for":"decision","message":"book?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{}},"onExpiry":"reject","expires":25920000000,"binding":"0dde6068e0fb17a84ef5c9428f8d9d37691698ec6342d1ebc93187d52c96972a"}}');
INSERT INTO "lease" VALUES (1, 488673986536, 'e5172d06f4f54050', '1787fc1803d24e9b', 'held', 'started', 0, 0, NULL);
INSERT INTO "agenda" VALUES ('expiry', '1787fc1803d24e9b.3.0#0', 1821289781958);
INSERT INTO "agenda" VALUES ('expiry', '1787fc1803d24e9b.3.1#0', 1821289781958);
INSERT INTO "agenda" VALUES ('turn', '1787fc1803d24e9b', 1795369815289);
INSERT INTO "_cf_METADATA" VALUES (1, 1795369815289000000);
