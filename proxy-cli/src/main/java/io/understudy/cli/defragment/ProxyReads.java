package io.understudy.cli.defragment;

import io.understudy.rebuild.MirroredReads;
import io.understudy.report.AdminClient;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Skips mirrored reads by the admin endpoint of the running proxy. A skip is a lease of a minute there, so it is
 * renewed, and ends by itself if this program dies.
 */
final class ProxyReads implements MirroredReads {
    private static final long RENEW_SECONDS = 20;

    private final AdminClient proxy;
    private final String standby;
    private final ScheduledExecutorService renewing = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "skip-renewal");
        thread.setDaemon(true);
        return thread;
    });
    private @Nullable ScheduledFuture<?> renewal;

    ProxyReads(AdminClient proxy, String standby) {
        this.proxy = proxy;
        this.standby = standby;
    }

    @Override
    public String skip(String table) {
        String cold = cold(table);
        try {
            act("skip", table);
        } catch (IOException e) {
            return table + ": its reads are mirrored during the rebuild, because the proxy does not skip them: "
                    + e.getMessage();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
        renewal = renewing.scheduleWithFixedDelay(() -> renew(table), RENEW_SECONDS, RENEW_SECONDS, TimeUnit.SECONDS);
        return table + ": its reads are not mirrored during the rebuild; cold pages a statement before: " + cold;
    }

    private void renew(String table) {
        try {
            act("skip", table);
        } catch (IOException e) {
            // The proxy may have been restarted and come back: the next renewal tries again.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String again(String table) {
        ScheduledFuture<?> task = renewal;
        if (task == null) {
            return "";
        }
        task.cancel(false);
        renewal = null;
        try {
            act("unskip", table);
            return table + ": its reads are mirrored again and warm it; /api/mirror shows its cold pages";
        } catch (IOException e) {
            return table + ": its reads are mirrored again within a minute: " + e.getMessage();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    private void act(String what, String table) throws IOException, InterruptedException {
        proxy.act("mirror/" + encoded(standby) + "/" + what + "/" + encoded(table));
    }

    private static String encoded(String name) {
        return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Returns the estimate of the table's cold pages, or why there is none. */
    private String cold(String table) {
        try {
            if (proxy.view("mirror").get("standbys") instanceof List<?> standbys) {
                for (Object one : standbys) {
                    if (one instanceof Map<?, ?> row
                            && standby.equals(row.get("standby"))
                            && row.get("cold") instanceof Map<?, ?> cold
                            && cold.get("tables") instanceof List<?> tables) {
                        return estimate(tables, table);
                    }
                }
            }
            return "unknown";
        } catch (IOException e) {
            return "unknown";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "unknown";
        }
    }

    private static String estimate(List<?> tables, String table) {
        for (Object one : tables) {
            if (one instanceof Map<?, ?> row
                    && table.equalsIgnoreCase(String.valueOf(row.get("table")))
                    && row.get("estimate") instanceof Number pages) {
                return String.format(
                        Locale.ROOT, "%.3f (%s to %s)", pages.doubleValue(), row.get("low"), row.get("high"));
            }
        }
        return "unknown (too few probes)";
    }
}
