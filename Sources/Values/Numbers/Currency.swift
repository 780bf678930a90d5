/// Currencies (ISO 4217, list one of 2024) and the digits of their smaller unit.
public enum Currency {
    /// The digits behind the point; nil of a code that the list does not have.
    public static func digits(_ code: String) -> Int? {
        for (digits, codes) in table where codes.contains(code) { return digits }
        return nil
    }

    private static let table: [(digits: Int, codes: Set<String>)] = [
        (
            2,
            words(
                """
                CNY USD EUR GBP HKD MOP TWD SGD AUD CAD CHF NZD AED AFN ALL AMD ANG AOA ARS AWG AZN BAM BBD BDT BGN BMD BND
                BOB BRL BSD BTN BWP BYN BZD CDF COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB FJD FKP GEL GHS GIP GMD GTQ GYD
                HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MRU MUR
                MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SHP SLE
                SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TZS UAH UYU UZS VED VES WST XCD YER ZAR ZMW ZWG
                """)
        ),
        (0, words("JPY KRW VND BIF CLP DJF GNF ISK KMF PYG RWF UGX VUV XAF XOF XPF XAU XAG XPT XPD")),
        (3, words("BHD IQD JOD KWD LYD OMR TND")), (4, words("CLF UYW")),
    ]

    private static func words(_ text: String) -> Set<String> {
        Set(text.split { $0 == " " || $0 == "\n" }.map(String.init))
    }
}
