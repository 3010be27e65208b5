package io.understudy.cli.admin;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The two text formats of a scrape, chosen by the Accept header. */
enum MetricsFormat {
    PROMETHEUS("text/plain; version=0.0.4; charset=utf-8"),
    OPENMETRICS("application/openmetrics-text; version=1.0.0; charset=utf-8");

    private final String contentType;

    MetricsFormat(String contentType) {
        this.contentType = contentType;
    }

    String contentType() {
        return contentType;
    }

    /** OpenMetrics where it is named and weighs no less than plain text; the plain text otherwise. */
    static MetricsFormat of(@Nullable String accept) {
        double open = 0;
        double plain = 0;
        for (String range :
                (accept == null ? "" : accept).toLowerCase(Locale.ROOT).split(",", -1)) {
            String[] parts = range.strip().split("\\s*;\\s*");
            double weight = weight(parts);
            if (parts[0].equals("application/openmetrics-text")) {
                open = Math.max(open, weight);
            } else if (parts[0].equals("text/plain")) {
                plain = Math.max(plain, weight);
            }
        }
        return open > 0 && open >= plain ? OPENMETRICS : PROMETHEUS;
    }

    private static double weight(String[] parts) {
        for (String part : parts) {
            if (part.matches("q=[01](\\.\\d{0,3})?")) {
                return Double.parseDouble(part.substring(2));
            }
        }
        return 1;
    }
}
