-- do/holdfast-SessionObject/d5a30e608db0b262a6840bd54be6233da250b7d39f735f42f61e9028968e9799.sqlite
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
INSERT INTO "schema" VALUES (2, '["ada","expired","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781499, 'session-opened', '', 82, '{"v":1,"type":"session-opened","incarnation":"ef3fd4782b584a5f","agent":"expired"}');
INSERT INTO "events" VALUES (2, 0, 1795369781499, 'turn-started', 'ab43d6306fa04f2a', 137, '{"v":1,"type":"turn-started","turn":"ab43d6306fa04f2a","loopId":"ab43d6306fa04f2a","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 548453508212, 1795369781886, 'model-replied', 'ab43d6306fa04f2a', 334, '{"v":1,"type":"model-replied","turn":"ab43d6306fa04f2a","model":"scripted","text":"","toolCalls":[{"id":"ab43d6306fa04f2a.3.0","providerId":"call_0_0","name":"refund","input":"{}"},{"id":"ab43d6306fa04f2a.3.1","providerId":"call_0_1","name":"measure","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 548453508212, 1795369781886, 'tool-call-suspended', 'ab43d6306fa04f2a', 258, '{"v":1,"type":"tool-call-suspended","turn":"ab43d6306fa04f2a","call":"ab43d6306fa04f2a.3.1","wait":{"for":"result","message":"Run ''measure'' and send its result.","expires":3600000,"binding":"672756f9786d9c30803169b1f6a58970b8a0f40cd339bb2d28721660efa4266b"}}');
INSERT INTO "events" VALUES (5, 548453508212, 1795369781886, 'tool-call-suspended', 'ab43d6306fa04f2a', 343, '{"v":1,"type":"tool-call-suspended","turn":"ab43d6306fa04f2a","call":"ab43d6306fa04f2a.3.0","wait":{"for":"decision","message":"Refund it?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{}},"onExpiry":"reject","expires":3600000,"binding":"2818b178409ffd99d2fd84e4fb8fa625dce30e7cc96107aea166efa5d96500e3"}}');
INSERT INTO "lease" VALUES (1, 548453508212, '64672addab584d0b', 'ab43d6306fa04f2a', 'suspended', 'started', 0, 0, NULL);
INSERT INTO "agenda" VALUES ('expiry', 'ab43d6306fa04f2a.3.0#0', 1795373381886);
INSERT INTO "agenda" VALUES ('expiry', 'ab43d6306fa04f2a.3.1#0', 1795373381886);
INSERT INTO "_cf_METADATA" VALUES (1, 1795373381886000000);
