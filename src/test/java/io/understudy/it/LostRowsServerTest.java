package io.understudy.it;

/** As {@link LostStatementServerTest}, where MariaDB's log does not tell the connection: 11.4 with rows. */
class LostRowsServerTest extends LostStatementServerTest {
    @Override
    String format() {
        return "ROW";
    }
}
