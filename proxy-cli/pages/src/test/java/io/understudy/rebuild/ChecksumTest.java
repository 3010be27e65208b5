package io.understudy.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.rebuild.TableDefragmentation.Checksum;
import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChecksumTest {
    private static final Subject ORDERS = new Subject("shop", "orders", 1 << 20, false);

    private String sum = "1";
    private String position = "0-1-5";
    private String virtualColumns = "0";
    private String multiValuedIndexes = "0";
    private Runnable duringChecksum = () -> {};

    private final ServerQueries standby = new ServerQueries(
            new FakeJdbcServer() {
                @Override
                List<String> row(String sql) {
                    if (sql.contains("information_schema.COLUMNS")) {
                        return List.of(virtualColumns);
                    }
                    if (sql.contains("information_schema.STATISTICS")) {
                        return List.of(multiValuedIndexes);
                    }
                    if (!sql.startsWith("CHECKSUM")) {
                        return List.of(position);
                    }
                    String seen = sum;
                    duringChecksum.run();
                    return List.of("shop.orders", seen);
                }
            }.connection());

    private Checksum checksum() throws SQLException {
        return Checksum.of(standby, true, ORDERS);
    }

    @Test
    void differsOnlyIfReplicationStoodStill() throws Exception {
        Checksum before = checksum();
        assertThat(before.against(checksum())).isEqualTo("equal");
        sum = "2";
        assertThat(before.against(checksum())).isEqualTo("DIFFERENT");
        position = "0-1-6";
        assertThat(before.against(checksum())).startsWith("not comparable");
    }

    /** As seen on MySQL 9.7: two checksums of a table with such an index differ though nobody touched it. */
    @Test
    void onMySqlAMultiValuedIndexMakesChecksumsIncomparable() throws Exception {
        multiValuedIndexes = "1";
        Checksum before = Checksum.of(standby, false, ORDERS);
        sum = "2";
        assertThat(before.against(Checksum.of(standby, false, ORDERS)))
                .isEqualTo("not comparable, as MySQL does not calculate multi-valued indexes for CHECKSUM TABLE");
        multiValuedIndexes = "0";
        assertThat(Checksum.of(standby, false, ORDERS).against(before)).isEqualTo("DIFFERENT");
    }

    /** The snapshot of the checksum is older than the write, the position after it is not. */
    @Test
    void doesNotBlameTheRebuildForAWriteDuringTheFirstChecksum() throws Exception {
        duringChecksum = () -> {
            sum = "2";
            position = "0-1-6";
        };
        Checksum before = checksum();
        duringChecksum = () -> {};

        assertThat(before.against(checksum())).isEqualTo("not comparable, as replication wrote meanwhile");
    }

    /** On MySQL without GTIDs the position is always empty. */
    @Test
    void doesNotBlameTheRebuildIfNoPositionIsKnown() throws Exception {
        position = "";
        Checksum before = checksum();
        sum = "2";

        assertThat(before.against(checksum())).startsWith("not comparable, as without GTIDs");
    }

    /** MariaDB's value for such a table changes without any write. */
    @Test
    void doesNotBlameTheRebuildOfATableWithVirtualColumns() throws Exception {
        virtualColumns = "1";
        Checksum before = checksum();
        assertThat(before.against(checksum())).isEqualTo("equal");
        sum = "2";

        assertThat(before.against(checksum())).startsWith("not comparable, as MariaDB does not calculate virtual");
    }
}
