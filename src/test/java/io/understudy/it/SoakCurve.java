package io.understudy.it;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/** What a process used over time. */
final class SoakCurve {
    private record Sample(double seconds, SoakProxy.Figures figures) {}

    private final List<Sample> samples = new ArrayList<>();

    void add(double seconds, SoakProxy.Figures figures) {
        samples.add(new Sample(seconds, figures));
        System.out.println(line(seconds, figures));
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
     * Returns by how much a figure grew in the last two thirds of the time: the median of the slopes between any two
     * samples, times that time. The first third is the program's warming up.
     */
    double growth(ToLongFunction<SoakProxy.Figures> figure) {
        List<Sample> steady = samples.subList(samples.size() / 3, samples.size());
        List<Double> slopes = new ArrayList<>();
        for (int i = 0; i < steady.size(); i++) {
            for (int j = i + 1; j < steady.size(); j++) {
                Sample from = steady.get(i);
                Sample to = steady.get(j);
                slopes.add((double) (figure.applyAsLong(to.figures()) - figure.applyAsLong(from.figures()))
                        / (to.seconds() - from.seconds()));
            }
        }
        if (slopes.isEmpty()) {
            return 0;
        }
        slopes.sort(null);
        return slopes.get(slopes.size() / 2)
                * (steady.get(steady.size() - 1).seconds() - steady.get(0).seconds());
    }

    double growthMib(ToLongFunction<SoakProxy.Figures> figure) {
        return mib(growth(figure));
    }
}
