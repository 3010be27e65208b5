package io.understudy.it;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/** What a process used over time. */
final class SoakCurve {
    private final long begun = System.nanoTime();
    private final List<SoakProxy.Figures> samples = new ArrayList<>();

    void add(SoakProxy.Figures figures) {
        samples.add(figures);
        System.out.println(line((System.nanoTime() - begun) / 1e9, figures));
    }

    private static String line(double seconds, SoakProxy.Figures figures) {
        return String.format(
                Locale.ROOT,
                "soak %5.0f s  heap %6.1f MiB  direct %6.1f MiB  resident %6.1f MiB  descriptors %4d  threads %3d"
                        + "  sessions %3d",
                seconds,
                mib((double) figures.heap()),
                mib((double) figures.direct()),
                mib((double) figures.resident()),
                figures.descriptors(),
                figures.threads(),
                figures.sessions());
    }

    private static double mib(double bytes) {
        return bytes / (1 << 20);
    }

    /**
     * Returns by how much a figure grew in the last two thirds of the time: the median of their second half less that
     * of the first. The first third is the program's warming up.
     */
    double growth(ToLongFunction<SoakProxy.Figures> figure) {
        List<SoakProxy.Figures> steady = samples.subList(samples.size() / 3, samples.size());
        int half = steady.size() / 2;
        return median(figure, steady.subList(half, steady.size())) - median(figure, steady.subList(0, half));
    }

    private static double median(ToLongFunction<SoakProxy.Figures> figure, List<SoakProxy.Figures> part) {
        long[] sorted = part.stream().mapToLong(figure).sorted().toArray();
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2.0;
    }

    double growthMib(ToLongFunction<SoakProxy.Figures> figure) {
        return mib(growth(figure));
    }
}
