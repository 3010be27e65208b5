import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.mysqlclient.MySQLConnectOptions;
import io.vertx.mysqlclient.MySQLConnection;
import io.vertx.mysqlclient.MySQLException;
import io.vertx.mysqlclient.SslMode;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;

/** The script of the client matrix for Vert.x: VertxClient PROFILE HOST PORT USER PASSWORD TLS */
public final class VertxClient {
    private static <T> T wait(Future<T> future) throws Exception {
        try {
            return future.toCompletionStage().toCompletableFuture().get();
        } catch (ExecutionException e) {
            throw (Exception) e.getCause();
        }
    }

    private static String text(RowSet<Row> rows) {
        Row row = rows.iterator().next();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < row.size(); i++) {
            text.append(row.getValue(i)).append(' ');
        }
        return text.toString();
    }

    public static void main(String[] a) throws Exception {
        Vertx vertx = Vertx.vertx();
        MySQLConnectOptions options = new MySQLConnectOptions()
                .setHost(a[1]).setPort(Integer.parseInt(a[2])).setUser(a[3]).setPassword(a[4]).setDatabase("test");
        options.setSslMode(a[5].equals("on") ? SslMode.REQUIRED : SslMode.DISABLED);
        options.setTrustAll(true).setHostnameVerificationAlgorithm("");
        MySQLConnection db;
        try {
            db = wait(MySQLConnection.connect(vertx, options));
        } catch (Exception e) {
            System.out.println("connect refused: "
                    + (e instanceof MySQLException m ? m.getErrorCode() + " " + m.getSqlState() : e.getMessage()));
            vertx.close();
            return;
        }
        System.out.println("connect ok");
        System.out.println("query " + text(wait(db.query("SELECT 1, NULL, 'héllo', 2.50").execute())));
        for (int n : new int[] {20, 21}) {
            System.out.println("prepare " + text(wait(db.preparedQuery("SELECT ? * 2").execute(Tuple.of(n)))));
        }
        wait(db.query("CREATE TEMPORARY TABLE m (a INT, b LONGBLOB)").execute());
        List<Tuple> rows = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            rows.add(Tuple.of(i, "x"));
        }
        wait(db.preparedQuery("INSERT INTO m VALUES (?, ?)").executeBatch(rows));
        System.out.println("sum " + text(wait(db.query("SELECT COUNT(*), SUM(a) FROM m").execute())));
        byte[] big = new byte[256 * 20480];
        for (int i = 0; i < big.length; i++) {
            big[i] = (byte) i;
        }
        wait(db.query("START TRANSACTION").execute());
        wait(db.preparedQuery("INSERT INTO m VALUES (?, ?)").execute(Tuple.of(1000, Buffer.buffer(big))));
        Buffer value = wait(db.query("SELECT b FROM m WHERE a = 1000").execute()).iterator().next().getBuffer(0);
        System.out.println("big " + value.equals(Buffer.buffer(big)));
        wait(db.query("ROLLBACK").execute());
        System.out.println("rollback " + text(wait(db.query("SELECT COUNT(*) FROM m").execute())));
        for (String sql : List.of("SELEC", "SELECT * FROM nosuch")) {
            try {
                wait(db.query(sql).execute());
                System.out.println("no error");
            } catch (MySQLException e) {
                System.out.println("error " + e.getErrorCode() + " " + e.getSqlState() + " " + e.getMessage());
            }
        }
        System.out.println("after " + text(wait(db.query("SELECT 'still here'").execute())));
        wait(db.close());
        System.out.println("closed");
        vertx.close();
    }
}
