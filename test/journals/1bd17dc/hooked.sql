-- do/holdfast-SessionObject/a7da7650eadb0a15da7db973ba28b9af5213f379e4acf8e580d0b6b2b287b400.sqlite
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
INSERT INTO "schema" VALUES (2, '["ada","hooked","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781516, 'session-opened', '', 81, '{"v":1,"type":"session-opened","incarnation":"0a803fd22c734436","agent":"hooked"}');
INSERT INTO "events" VALUES (2, 0, 1795369781516, 'turn-started', 'a3850ae219324a44', 169, '{"v":1,"type":"turn-started","turn":"a3850ae219324a44","loopId":"a3850ae219324a44","message":"It rains.","context":{},"principal":{"id":"webhook:sender","tenant":"ada"}}');
INSERT INTO "events" VALUES (3, 513423896910, 1795369781958, 'model-replied', 'a3850ae219324a44', 251, '{"v":1,"type":"model-replied","turn":"a3850ae219324a44","model":"scripted","text":"","toolCalls":[{"id":"a3850ae219324a44.3.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 513423896910, 1795369781958, 'tool-call-started', 'a3850ae219324a44', 106, '{"v":1,"type":"tool-call-started","turn":"a3850ae219324a44","call":"a3850ae219324a44.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 513423896910, 1795369782065, 'tool-call-ended', 'a3850ae219324a44', 150, '{"v":1,"type":"tool-call-ended","turn":"a3850ae219324a44","call":"a3850ae219324a44.3.0","result":{"type":"text","content":"look_up is done"},"ms":107}');
INSERT INTO "events" VALUES (6, 513423896910, 1795369782117, 'model-replied', 'a3850ae219324a44', 173, '{"v":1,"type":"model-replied","turn":"a3850ae219324a44","model":"scripted","text":"So it does.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (7, 513423896910, 1795369782117, 'turn-ended', 'a3850ae219324a44', 75, '{"v":1,"type":"turn-ended","turn":"a3850ae219324a44","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 513423896910, '85b0ae74f5e444f5', NULL, 'free', 'started', 0, 0, NULL);
INSERT INTO "requests" VALUES ('delivery sender delivery-1', 'delivery sender delivery-1', 'a3850ae219324a44', 2, 1795974581516);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
